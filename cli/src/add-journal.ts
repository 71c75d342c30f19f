/** `retainer journal`: its commands and their options. */
import type { Command } from 'commander';
import { examples, gathered, outputOption, withCluster, type Finish } from './command-options.ts';
import type { ClusterFlags } from './commands/cluster-journal.ts';
import type { RepairFlags, ShowFlags, VerifyFlags } from './commands/journal.ts';

export function addJournal(program: Command, finish: Finish): void {
  const journal = program
    .command('journal')
    .description('verify, repair or show the append-only record, here or on a cluster');
  addVerify(journal, finish);
  addRepair(journal, finish);
  addShow(journal, finish);
  addAcknowledge(journal, finish);
}

/** A directory here, or an Agent on a cluster. */
function recordCommand(journal: Command, name: string): Command {
  return withAgent(journal.command(name).argument('[dir]', 'the journal, or its data directory'));
}

function withAgent(command: Command): Command {
  return withCluster(
    command
      .option('--agent <name>', 'the Agent on a cluster: a pod of its own reads or repairs its volume')
      .option('-n, --namespace <name>', "the agent's namespace on a cluster (default there: that of the context)"),
  );
}

function addVerify(journal: Command, finish: Finish): void {
  recordCommand(journal, 'verify')
    .description('check every store, record, link, segment and blob; report faults by file, line and sequence')
    .option('--live', 'accept an unfinished last line, as a running agent has it')
    .option('--heads <dir>', 'the own directory of an auditor: compare the heads that it keeps')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer journal verify .retainer/examples',
        'retainer journal verify /backup/ada/journal -o json',
        'retainer journal verify --agent ada -n weather',
      ]),
    )
    .action(
      finish(async () => {
        const { isOnCluster, verifyOnCluster } = await import('./commands/cluster-journal.ts');
        const { verifyCommand } = await import('./commands/journal.ts');
        return (directory: string | undefined, flags: VerifyFlags & ClusterFlags) =>
          isOnCluster(directory, flags) ? verifyOnCluster(flags) : verifyCommand(directory ?? '', flags);
      }),
    );
}

function addRepair(journal: Command, finish: Finish): void {
  recordCommand(journal, 'repair')
    .description('show how a damaged record would be repaired; --yes repairs it')
    .option('--yes', 'repair; copies of replaced files stay in damaged/')
    .option('--give-up-store <name>', 'give up a store that is gone; repeatable, needs --reason', gathered)
    .option('--reason <text>', 'the reason, recorded with what is given up')
    .option('--by <name>', 'who repairs it, recorded (default: your user name; on a cluster, always that one)')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer journal repair .retainer/examples',
        'retainer journal repair .retainer/examples --yes',
        'retainer journal repair --agent ada -n weather --yes --reason "a bad sector"',
      ]),
    )
    .action(
      finish(async () => {
        const { isOnCluster, repairOnCluster } = await import('./commands/cluster-journal.ts');
        const { repairCommand } = await import('./commands/journal.ts');
        return (directory: string | undefined, flags: RepairFlags & ClusterFlags) =>
          isOnCluster(directory, flags) ? repairOnCluster(flags) : repairCommand(directory ?? '', flags);
      }),
    );
}

function addShow(journal: Command, finish: Finish): void {
  recordCommand(journal, 'show')
    .description('print records in the order of their creation; with -o json, one object per line')
    .option('--store <name>', 'only this store')
    .option('--run <id>', 'only runs whose id begins with this')
    .option('--kind <kind>', 'only this kind of record')
    .option('--from <moment>', 'only records from this time on, such as 2026-01-31 or 2026-01-31T08:00:00Z')
    .option('--to <moment>', 'before')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer journal show .retainer/examples --store cycle --kind GateDecided',
        'retainer journal show .retainer/examples --run rainiest-day -o json | jq .payload',
        'retainer journal show --agent ada -n weather --store agent',
      ]),
    )
    .action(
      finish(async () => {
        const { isOnCluster, showOnCluster } = await import('./commands/cluster-journal.ts');
        const { showCommand } = await import('./commands/journal.ts');
        return (directory: string | undefined, flags: ShowFlags & ClusterFlags) =>
          isOnCluster(directory, flags) ? showOnCluster(flags) : showCommand(directory ?? '', flags);
      }),
    );
}

function addAcknowledge(journal: Command, finish: Finish): void {
  withAgent(journal.command('acknowledge'))
    .argument('<place>', 'a store, or the place of a gap such as cycle/21')
    .description("accept what the auditor found there, also while it is at work; the reason is in the auditor's record")
    .option('--data <dir>', "the agent's data directory here")
    .requiredOption('--reason <text>', 'the reason, recorded with your name')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer journal acknowledge cycle/21 --data .retainer/examples --reason "a bad sector"',
        'retainer journal acknowledge cycle --agent ada -n weather --reason "repaired on 3 May"',
      ]),
    )
    .action(finish(async () => (await import('./commands/acknowledge.ts')).acknowledgeCommand));
}
