/** Declares `retainer mail` on the command line: its arguments and its help. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { examples, outputOption, withPlace, type Finish } from './command-options.ts';

/** Letters and mails that a table shows: a few screens. */
const LISTED = 50;

export function addMail(program: Command, finish: Finish): void {
  const mail = program
    .command('mail')
    .description('letters to the agent, the mails that it sent, and your word about a letter that waits');
  withPlace(mail.command('list'))
    .description('list letters and mails, newest last: who wrote, how that is known, what became of it, thread, run')
    .option('--limit <number>', 'show at most so many, the newest ones', count, LISTED)
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer mail list', 'retainer mail list --limit 500 -o json | jq .letters']))
    .action(finish(async () => (await import('./commands/mail.ts')).listCommand));
  withPlace(mail.command('show'))
    .argument('<id>', 'id of a letter or a mail, or the beginning of one')
    .description(
      'tell one letter in full: its head, who wrote it and how that is known, its words, and apart what came with it',
    )
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer mail show m-1a2b', 'retainer mail show o-3c4d -n weather']))
    .action(finish(async () => (await import('./commands/mail.ts')).showCommand));
  withPlace(mail.command('held'))
    .description('list the letters that wait for a person, each with the reason')
    .addOption(outputOption())
    .addHelpText('after', examples(['retainer mail held', 'retainer mail held --agent ada -n weather']))
    .action(finish(async () => (await import('./commands/mail.ts')).heldCommand));
  withPlace(mail.command('release'))
    .argument('<id>', 'id of a held letter, or the beginning of one')
    .description(
      'let a held letter begin a run. Its words stay those of a stranger: they are untrusted, so nothing that needs your word follows from them alone',
    )
    .requiredOption('--reason <text>', 'the reason, which is recorded')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples([
        'retainer mail release m-1a2b --reason "our new supplier"',
        'retainer mail show m-1a2b   # read it first',
      ]),
    )
    .action(finish(async () => (await import('./commands/mail.ts')).releaseCommand));
  addCheck(mail, finish);
}

function addCheck(mail: Command, finish: Finish): void {
  withPlace(mail.command('check'))
    .option('-f, --filename <path...>', 'manifests of the Agent here, instead of an Agent on a cluster')
    .addOption(new Option('--mounted').hideHelp())
    .description(
      'try what the agent needs of its mail servers: their names, TLS, logins, IDLE, and look-ups for DKIM; nothing is read or sent',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      `${examples(['retainer mail check -f manifests/mail', 'retainer mail check -n weather --agent ada'])}
Here, the credentials come from RETAINER_MAIL_USERNAME and RETAINER_MAIL_PASSWORD, or from the files username and password of the directory RETAINER_MAIL_CREDENTIALS. On a cluster, the agent's container tries with those that are mounted there.
`,
    )
    .action(finish(async () => (await import('./commands/mail-check.ts')).checkCommand));
}

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Give a number from 1.');
  return number;
}
