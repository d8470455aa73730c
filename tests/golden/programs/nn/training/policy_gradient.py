"""One update of REINFORCE with fixed actions."""
import torch
import torch.nn as nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(dim=-1))
states, actions = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
rewards, returns, R = [1.0, 0.0, 0.0, 2.0], [], 0.0
for r in reversed(rewards):
    R = r + 0.9 * R
    returns.insert(0, R)
returns = torch.tensor(returns)
returns = (returns - returns.mean()) / (returns.std() + 1e-8)
log_probs = torch.log(policy(states).gather(1, actions.unsqueeze(1)).squeeze(1))
loss = -(log_probs * returns).sum()
loss.backward()
print(f"{loss.item():.4f}", returns)
print({name: f"{p.grad.norm():.4f}" for name, p in policy.named_parameters()})
