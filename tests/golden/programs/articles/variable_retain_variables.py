import torch as t
from torch.autograd import Variable
x = Variable(t.FloatTensor([[2, 4, 5]]),requires_grad = True)
y = Variable(t.zeros(1, 2))
y[0,0] = x[0,0]**2 + 2 * x[0,1] + 4 * x[0,2]
y[0,1] = 2 * x[0,0] + 3 * x[0,1]**2 + x[0,2]**2
j = t.zeros(3,2)#用于存放求導的值
#(i,j)=(1,0)這樣就會對應只求得y1對x1,x2和x3的求導
#retain_variables=True的作用是不在反向傳播后釋放內存,這樣才能夠再次反向傳播
y.backward(Variable(t.FloatTensor([[1, 0]])),retain_variables=True)
j[:,0] = x.grad.data
x.grad.data.zero_() #將之前的值清零
#(i,j)=(1,0)這樣就會對應只求得y2對x1,x2和x3的求導
y.backward(Variable(t.FloatTensor([[0, 1]])))
j[:,1] = x.grad.data
print(j)
