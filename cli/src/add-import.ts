/** Declares `retainer import` on the command line. */
import type { Command } from 'commander';
import { dataOption, examples, outputOption, type Finish } from './command-options.ts';
import type { ImportFlags } from './commands/import.ts';

export function addImport(program: Command, finish: Finish): void {
  program
    .command('import')
    .description('take over what another system remembered, as untrusted words, each entry once')
    .command('springdrift')
    .argument('<dir>', 'directory of its logs, with narrative/DAY.jsonl in it or below memory/')
    .description('take over the narrative of the system that the paper describes')
    .addOption(dataOption())
    .option('--reason <text>', 'the reason, which is recorded', 'its narrative is taken over')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer import springdrift /backup/curragh --data .retainer/ada']))
    .action(async (from: string, flags: ImportFlags) => {
      const { importCommand } = await import('./commands/import.ts');
      finish(await importCommand(from, flags));
    });
}
