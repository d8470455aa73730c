"""Encoder and decoder with teacher forcing, from recurrent cells."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Seq2Seq(nn.Module):
    def __init__(self, vocabulary, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden, padding_idx=0)
        self.encoder = nn.GRU(hidden, hidden, batch_first=True)
        self.cell = nn.GRUCell(hidden, hidden)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, source, target):
        _, state = self.encoder(self.embedding(source))
        state, token, outputs = state[0], torch.ones(len(source), dtype=torch.long), []
        for step in range(target.size(1)):
            state = self.cell(self.embedding(token), state)
            outputs.append(self.out(state))
            token = target[:, step]
        return torch.stack(outputs, dim=1)


model = Seq2Seq(6, 4)
source, target = torch.tensor([[2, 3, 4], [5, 2, 0]]), torch.tensor([[4, 3], [2, 5]])
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
for step in range(4):
    logits = model(source, target)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(step, f"{loss.item():.4f}", logits.shape)
print(model.embedding.weight.grad[0])
