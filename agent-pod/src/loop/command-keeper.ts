/**
 * Carries out commands of the inbox. Sets a command aside if something threw in it, so that the agent works on without it.
 *
 * I1  A command ends in the record: done, or set aside. So no start meets it again, but that of another version.
 * I2  A fault of the journal concerns all commands, and is a fault of the process.
 */
import type { Journal } from '@retainer/journal/journal';
import type { Command, Inbox, NamedAside } from '@retainer/mind/run/inbox';
import type { AgentMemory } from './agent-memory.ts';
import type { AsideKeeper, Driven } from './aside-keeper.ts';
import { placesOf } from './aside-runs.ts';
import { carryOut } from './carry-out.ts';
import type { MemoryCommand } from './memory-writer.ts';

export interface CommandParts {
  readonly journal: Pick<Journal, 'mode'>;
  /** Of this program: a new one tries again what an older one set aside. */
  readonly version: string;
  readonly memory: AgentMemory;
  readonly onNotice?: (notice: string) => void;
}

export class CommandKeeper {
  readonly #parts: CommandParts;
  readonly #driven: Driven & { readonly keeper: AsideKeeper };

  constructor(parts: CommandParts, driven: Driven & { readonly keeper: AsideKeeper }) {
    this.#parts = parts;
    this.#driven = driven;
  }

  get #inbox(): Inbox {
    return this.#parts.memory.known.inbox;
  }

  /** Carries out what was open when the last process ended, and what another version set aside; names the rest in notices. */
  async takeUp(): Promise<void> {
    for (const [originId, { command, ...why }] of [...this.#inbox.aside]) {
      if (this.#driven.isOver) return;
      if (why.version === this.#parts.version) this.#tell({ originId, type: command.type, ...why });
      else await this.carryOut(originId, command);
    }
    for (const [originId, command] of [...this.#inbox.open]) {
      if (this.#driven.isOver) return;
      await this.carryOut(originId, command);
    }
  }

  /** @throws when the journal takes no more */
  async carryOut(originId: string, command: Command): Promise<void> {
    try {
      await this.#do(originId, command);
    } catch (error) {
      if (!this.#driven.isOver) await this.#setAside(originId, command, error);
      return;
    }
    // If the agent stopped in between, the command may not have reached its machine. The next start carries it out again.
    if (!this.#driven.isOver) await this.#done(originId);
  }

  async #do(ownId: string, command: Command): Promise<void> {
    if (command.type !== 'DecideCommand') return carryOut(this.#driven, this.#parts.memory, ownId, command);
    const { originId, decision } = command;
    const aside = this.#inbox.aside.get(originId);
    if (aside === undefined) return;
    await (decision === 'Retry' ? this.carryOut(originId, aside.command) : this.#done(originId));
  }

  #done(originId: string): Promise<void> {
    return this.#write({ store: 'inbox', kind: 'CommandDone', payload: { originId } });
  }

  async #setAside(originId: string, { type }: Command, error: unknown): Promise<void> {
    const { journal, version } = this.#parts;
    if (journal.mode !== 'Writable') throw error;
    const why = { where: [...placesOf(error)], version };
    await this.#write({ store: 'inbox', kind: 'CommandSetAside', payload: { originId, ...why } });
    this.#tell({ originId, type, ...why });
  }

  #write(command: MemoryCommand<'Runtime'>): Promise<void> {
    return this.#parts.memory.write('Runtime', [command]);
  }

  #tell({ originId, type, where }: NamedAside): void {
    const place = where.slice(0, 2).join(' ');
    this.#parts.onNotice?.(
      `command ${originId} (${type}) is set aside, because the program failed in it: ${place}; \`retainer retry ${originId}\` tries it again, \`retainer cancel ${originId}\` drops it`,
    );
  }
}
