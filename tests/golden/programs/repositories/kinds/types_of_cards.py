import torch
FloatTensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
print(FloatTensor([1., 2.]))
print(isinstance(torch.ones(1), torch.cuda.FloatTensor), torch.ones(1).type())
