import { readEnvironment } from './config.ts';

/** A command as it is typed for the same place. @param directory  of the data, where the caller names no place */
export function typedCommand(command: string, directory: string): string {
  const { program, options = `--data ${directory}` } = readEnvironment().caller;
  return `${program} ${command} ${options}`;
}
