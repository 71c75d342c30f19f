import { describe, expect, it } from 'vitest';
import {
  collect,
  deed,
  JournalWorld,
  numbers,
  worldDirectory,
  worldStores,
} from '../../../test/chaos/journal-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { encodeLine, zeroHash } from './codec.ts';
import { OpeningRefusedError } from './journal-errors.ts';
import { openingAction, type Findings, type OpeningAction } from './recover.ts';

const nothing: Findings = {
  fork: false,
  epochFound: 3,
  epochGiven: undefined,
  behindHead: false,
  damaged: false,
  torn: false,
  newlineMissing: false,
};

const rows: readonly [string, Partial<Findings>, OpeningAction][] = [
  ['nothing wrong', {}, 'GoOn'],
  ['our own epoch, higher', { epochGiven: 4 }, 'GoOn'],
  ['newline missing', { newlineMissing: true }, 'AddNewline'],
  ['torn tail', { torn: true, newlineMissing: true }, 'CutTail'],
  ['damage', { damaged: true }, 'OpenReadOnly'],
  ['behind the head', { behindHead: true, torn: true }, 'StopAndAsk'],
  ['a higher epoch than ours', { epochGiven: 2 }, 'Stop'],
  ['two lines with the same predecessor', { fork: true, damaged: true, behindHead: true }, 'Stop'],
];

/** A world with three deeds in one segment whose writer was killed: no checkpoint and no closing vouches for its end. */
async function killedWorld(): Promise<JournalWorld> {
  const world = new JournalWorld();
  const journal = await world.open();
  for (const n of [1, 2, 3]) await journal.append([deed(n)]);
  world.sim.kill();
  return world;
}

interface Covered {
  readonly state: { readonly endBytes: number };
}

async function hasCheckpoint(world: JournalWorld): Promise<boolean> {
  return (await world.sim.mount().list(`${worldDirectory}/checkpoints`)).includes('deeds.json');
}

const lastLineAt = (bytes: Buffer): number => bytes.lastIndexOf('\n', bytes.length - 2) + 1;
const lineAt = (bytes: Buffer, line: number): number => {
  let at = 0;
  for (let skipped = 0; skipped < line; skipped += 1) at = bytes.indexOf('\n', at) + 1;
  return at;
};

function flip(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

describe('opening', () => {
  for (const [found, changes, action] of rows)
    verifies('journal:opening-table', `${found}: ${action}`, () => {
      expect(openingAction({ ...nothing, ...changes })).toBe(action);
    });

  const tails: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['an incomplete last line', (bytes) => bytes.subarray(0, bytes.length - 40)],
    ['a last line with a wrong hash', (bytes) => flip(bytes, bytes.length - 5)],
    ['a tail of zeros', (bytes) => Buffer.concat([bytes.subarray(0, lastLineAt(bytes)), Buffer.alloc(700)])],
  ];
  for (const [what, change] of tails)
    verifies('journal:opening-table', `cuts ${what}, keeps a copy and says so`, async () => {
      const world = await killedWorld();
      await world.edit('deeds', change);
      const journal = await world.open();
      expect(await numbers(journal.read('deeds'))).toEqual([1, 2]);
      const [recovered] = (await collect(journal.read('deeds'))).filter(({ kind }) => kind === 'Recovered');
      const copies = await world.sim.mount().list(`${worldDirectory}/recovered`);
      expect(recovered?.payload).toMatchObject({ copy: copies[0], segment: '2026-03-01.001.jsonl' });
      await journal.append([deed(4)]);
      await journal.close();
      expect(await numbers((await world.open()).read('deeds'))).toEqual([1, 2, 4]);
    });

  verifies('journal:opening-table', 'adds a newline that is missing', async () => {
    const world = await killedWorld();
    await world.edit('deeds', (bytes) => bytes.subarray(0, bytes.length - 1));
    const journal = await world.open();
    await journal.append([deed(4)]);
    expect(await numbers(journal.read('deeds'))).toEqual([1, 2, 3, 4]);
  });

  it('keeps a last record whose newline has changed', async () => {
    const world = await killedWorld();
    await world.edit('deeds', (bytes) => flip(bytes, bytes.length - 1));
    const journal = await world.open();
    await journal.append([deed(4)]);
    expect(await numbers(journal.read('deeds'))).toEqual([1, 2, 3, 4]);
  });

  const damages: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['a bit flipped', (bytes) => flip(bytes, lineAt(bytes, 2) + 30)],
    [
      'a line deleted',
      (bytes) => Buffer.concat([bytes.subarray(0, lineAt(bytes, 2)), bytes.subarray(lineAt(bytes, 3))]),
    ],
    [
      'a line doubled',
      (bytes) => Buffer.concat([bytes.subarray(0, lineAt(bytes, 3)), bytes.subarray(lineAt(bytes, 2))]),
    ],
    ['the last line doubled', (bytes) => Buffer.concat([bytes, bytes.subarray(lastLineAt(bytes))])],
  ];
  for (const [what, change] of damages)
    verifies('journal:never-cuts-damage', `opens read-only after ${what}, and changes nothing`, async () => {
      const world = await killedWorld();
      await world.edit('deeds', change);
      const before = await world.text('deeds/2026-03-01.001.jsonl');
      const journal = await world.open();
      expect([journal.mode, journal.modeCause]).toEqual(['ReadOnly', 'Damaged']);
      expect(journal.modeReason).toMatch(/2026-03-01\.001\.jsonl, line \d, sequence \d/);
      await expect(collect(journal.read('deeds'))).rejects.toThrow(/sequence \d/);
      expect(await world.text('deeds/2026-03-01.001.jsonl')).toBe(before);
    });

  verifies('journal:never-cuts-damage', 'never cuts what a checkpoint has covered', async () => {
    for (const change of [...tails.map(([, cut]) => cut), (bytes: Buffer) => bytes.subarray(0, lastLineAt(bytes))]) {
      const world = new JournalWorld();
      const journal = await world.open();
      await journal.append([deed(1), deed(2)]);
      await journal.close();
      await world.edit('deeds', change);
      expect((await world.open()).modeCause).toBe('Damaged');
    }
  });

  verifies(
    'journal:never-cuts-damage',
    'never cuts what a checkpoint has covered, though no closing vouches for it',
    async () => {
      for (const [what, change] of tails) {
        const world = new JournalWorld();
        const journal = await world.open({ limits: { checkpointEveryBytes: 2000 } });
        for (let n = 1; !(await hasCheckpoint(world)); n += 1) await journal.append([deed(n)]);
        const covered = JSON.parse((await world.text('checkpoints/deeds.json')).split('\n')[0] ?? '') as Covered;
        world.sim.kill();
        await world.edit('deeds', (bytes) => change(bytes.subarray(0, covered.state.endBytes)));
        expect((await world.open()).modeCause, what).toBe('Damaged');
      }
    },
  );

  verifies(
    'journal:never-cuts-damage',
    'never cuts what a closing has noted, nor what an opening has found',
    async () => {
      for (const change of [...tails.map(([, cut]) => cut), (bytes: Buffer) => bytes.subarray(0, lastLineAt(bytes))])
        for (const end of ['close', 'kill'] as const) {
          const world = await killedWorld();
          const journal = await world.open();
          if (end === 'close') await journal.close();
          else world.sim.kill();
          await world.dropCheckpoints();
          await world.edit('deeds', change);
          expect((await world.open()).modeCause, `after a ${end}`).toBe('Damaged');
        }
    },
  );

  verifies(
    'journal:checkpoints-are-caches',
    'gives the same journal without checkpoints, or with broken ones',
    async () => {
      const world = new JournalWorld();
      const journal = await world.open({ limits: { checkpointEveryBytes: 500, segmentBytes: 2000 } });
      for (let n = 0; n < 20; n += 1) await journal.append([deed(n)]);
      const heads = journal.heads().filter(({ store }) => store === 'deeds');
      await journal.close();
      world.sim.edit(`${worldDirectory}/checkpoints/deeds.json`, (bytes) => flip(bytes, 20));
      const second = await world.open();
      expect(second.heads().map(({ store, seq, hash }) => ({ store, seq, hash }))).toContainEqual({
        store: 'deeds',
        seq: heads[0]?.seq,
        hash: heads[0]?.hash,
      });
      await second.close();
      await world.dropCheckpoints();
      expect(await numbers((await world.open()).read('deeds'))).toHaveLength(20);
    },
  );

  it('stops at two lines with the same predecessor', async () => {
    const world = await killedWorld();
    await world.edit('deeds', (bytes) => {
      const last = JSON.parse(bytes.toString('utf8', lastLineAt(bytes))) as {
        seq: number;
        order: number;
        prev: string;
      };
      const shared = { store: 'deeds', epoch: 1, batch: 1, timeMs: 0, kind: 'Deed', version: 1, principal: 'agent' };
      const content = { payloadText: '{"n":99}' };
      const { text } = encodeLine({ ...shared, ...last, content, cycleId: undefined, runId: undefined });
      return Buffer.concat([bytes, Buffer.from(text)]);
    });
    await expect(world.open()).rejects.toMatchObject({ name: 'OpeningRefusedError', reason: 'SplitBrain' });
  });

  verifies('journal:epoch-counts-openings', 'counts epochs over all stores and refuses a stale one', async () => {
    const world = new JournalWorld();
    for (const epoch of [1, 2, 3]) {
      const journal = await world.open();
      expect(journal.epoch).toBe(epoch);
      await journal.close();
    }
    const leased = await world.open({ epoch: 9 });
    const [record] = await leased.append([deed(1)]);
    expect(record?.epoch).toBe(9);
    await leased.close();
    await expect(world.open({ epoch: 8 })).rejects.toThrow(OpeningRefusedError);
  });

  it('continues the agent-wide order where it ended', async () => {
    const world = await killedWorld();
    const journal = await world.open();
    await journal.append([deed(4)]);
    const orders = (await collect(journal.readAll(['system', 'deeds', 'signs']))).map(({ order }) => order);
    expect(orders).toEqual(orders.toSorted((a, b) => a - b));
    expect(new Set(orders).size).toBe(orders.length);
  });

  it('refuses the directory of another agent', async () => {
    const world = await killedWorld();
    await expect(world.open({ agentUid: 'agent-2' })).rejects.toMatchObject({ reason: 'WrongAgent' });
  });

  it("stops where the store ends before an auditor's head", async () => {
    const world = await killedWorld();
    const head = { store: 'deeds', seq: 7, hash: zeroHash, epoch: 1 };
    await expect(world.open({ knownHeads: [head] })).rejects.toMatchObject({ reason: 'Rollback' });
    await expect(world.open({ knownHeads: [{ ...head, seq: 3 }] })).rejects.toMatchObject({ reason: 'Rollback' });
  });

  it('reads a store that is no longer in the table', async () => {
    const world = await killedWorld();
    const journal = await world.open({ stores: worldStores.filter(({ name }) => name !== 'deeds') });
    expect(await numbers(journal.read('deeds'))).toEqual([1, 2, 3]);
  });
});
