/** Who the agent of a record is, and its configuration, as the record has them: without secrets. */
import type { Clock } from '@retainer/contract/std/clock';
import type { JournalReader } from '@retainer/journal/journal';
import { openJournalReader } from '@retainer/journal/open-reader';

export interface Recorded {
  /** `NAMESPACE/NAME`. */
  readonly agent: string;
  /** UUID; absent before the first start. */
  readonly individual?: string;
  /** Of the newest configuration; absent before the first start. */
  readonly characterDigest?: string;
  /** The newest, by the name of its file; empty before the first start. */
  readonly configuration: Readonly<Record<string, unknown>>;
}

const MEMBERS = ['agent', 'character', 'skills'] as const;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Git gives these signs a meaning in the name of an author. */
const NO_NAME = /[\s<>]/;

export async function readRecorded(directory: string, clock: Clock): Promise<Recorded> {
  const reader = await openJournalReader({ directory, clock });
  let newest: Payload = {};
  let named: Payload = {};
  for await (const { kind, payload } of reader.read('agent')) {
    if (kind === 'Configured') newest = payload as Payload;
    if (kind === 'IndividualNamed') named = payload as Payload;
  }
  const individual = textOf(named['individual'], UUID);
  const characterDigest = textOf(newest['characterDigest'], /^/);
  return {
    agent: await ownerOf(reader),
    ...(individual === undefined ? {} : { individual }),
    ...(characterDigest === undefined ? {} : { characterDigest }),
    configuration: Object.fromEntries(MEMBERS.flatMap((name) => (name in newest ? [[name, newest[name]]] : []))),
  };
}

type Payload = Readonly<Record<string, unknown>>;

/** The first record of each store names it. */
async function ownerOf(reader: Pick<JournalReader, 'read'>): Promise<string> {
  for await (const { payload } of reader.read('system')) {
    const { agentUid } = payload as Payload;
    return typeof agentUid === 'string' && !NO_NAME.test(agentUid) ? agentUid : 'unknown';
  }
  return 'unknown';
}

function textOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}
