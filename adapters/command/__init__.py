"""Any executable that reads a table and prints expressions: Julia, C++, R, a colleague's script."""
