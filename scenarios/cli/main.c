/* main: the one program. */
int main(void)
{
    return 0;
}
