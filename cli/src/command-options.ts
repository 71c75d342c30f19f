/** Options and help that several commands share. */
import { Option, type Command } from 'commander';

/** Makes the action of a command: it loads what the command does when the command is called, and keeps its exit code. */
export type Finish = <Given extends readonly unknown[]>(
  load: () => Promise<(...given: Given) => number | Promise<number>>,
) => (...given: Given) => Promise<void>;

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory, or a copy of it (default: the only one in .retainer)');
}

/** Options of a command that reaches an agent: in a data directory here, or on a cluster. */
export function withPlace(command: Command): Command {
  return withCluster(
    command
      .addOption(dataOption())
      .option('-n, --namespace <name>', "the agent's namespace on a cluster (default there: that of the context)")
      .option('--agent <name>', 'the Agent on a cluster, if the namespace has several'),
  );
}

export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: KUBECONFIG, else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current context)');
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format: text for people, json for programs')
    .choices(['text', 'json'])
    .default('text');
}

export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** A repeatable option. */
export function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
