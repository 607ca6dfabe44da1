/* command.h - the program's commands. Each takes the arguments after its name and returns the exit
 * status: 0 fine, 1 failed, 2 called wrongly. */
#ifndef GRAMME_CLI_COMMAND_H
#define GRAMME_CLI_COMMAND_H

int command_serve(int argc, char **argv);
int command_apply(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_operations(int argc, char **argv);
int command_backup(int argc, char **argv);
int command_restore(int argc, char **argv);

#endif
