/** Opens the record of an agent for writing. */
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Journal } from '@retainer/journal/journal';
import { LockHeldError, openJournal } from '@retainer/journal/open-journal';
import { whyUnfinished } from './backup/unfinished-placing.ts';
import { redactor } from './infer/secrets.ts';
import { agentStores } from './loop/stores.ts';
import type { OpenAgentOptions } from './open-agent.ts';

type Stored = Pick<
  OpenAgentOptions,
  'definition' | 'dataDirectory' | 'secrets' | 'epoch' | 'onNotice' | 'onAppend' | 'onRecord'
> &
  Required<Pick<OpenAgentOptions, 'clock'>>;

/** @throws LockHeldError  another process holds the data directory */
export async function openStores(options: Stored): Promise<Result<Journal, readonly string[]>> {
  const { metadata } = options.definition.agent;
  const { onNotice, onAppend, onRecord } = options;
  try {
    const unfinished = await whyUnfinished(options.dataDirectory, metadata, options.clock);
    if (unfinished !== undefined) return err([unfinished]);
    const journal = await openJournal({
      directory: join(options.dataDirectory, 'journal'),
      stores: agentStores,
      agentUid: `${metadata.namespace}/${metadata.name}`,
      redact: redactor(options.secrets),
      clock: options.clock,
      observer: { onNotice, onAppend, onRecord },
      ...(options.epoch === undefined ? {} : { epoch: options.epoch }),
    });
    if (journal.modeCause !== 'Damaged') return ok(journal);
    await journal.close();
    return err([journal.modeReason ?? 'the record is damaged']);
  } catch (error) {
    if (error instanceof LockHeldError) throw error;
    return err([error instanceof Error ? error.message : String(error)]);
  }
}
