/**
 * The auditor: a process of its own, with a directory and a user of its own, that follows an agent's journal and remembers
 * what it was. It reports to people only; nothing it writes is read by an agent.
 *
 * Source: design 5.10.
 */
import { exitCodes, helpText, parseCommand } from './audit/auditor-options.ts';
import { runAuditor, type LogLine } from './audit/run-auditor.ts';
import { systemClock } from './loop/system-clock.ts';

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (!command.ok) {
    process.stderr.write(`${command.error}\nTry --help.\n`);
    return exitCodes.usage;
  }
  if (command.value.type === 'Help') {
    process.stdout.write(helpText);
    return exitCodes.fine;
  }
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => stop.abort());
  return runAuditor(command.value.options, { clock: systemClock, signal: stop.signal, log });
}

function log(line: LogLine): void {
  process.stdout.write(`${JSON.stringify({ time: new Date(systemClock.nowMs()).toISOString(), ...line })}\n`);
}

process.exitCode = await main();
