import os
os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"
print(1)
