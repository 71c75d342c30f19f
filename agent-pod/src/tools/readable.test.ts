import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { readersOf, type Label } from '@retainer/mind/gate/provenance/label';
import { describe, expect } from 'vitest';
import { toolWorld, type ToolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';

const ANN = 'mail:ann@a.example';
const BEN = 'mail:ben@b.example';
const NUMBER = 'kx7Qd92mVbT4w1';
const { signal } = new AbortController();

const ofBen: Label = { source: { kind: 'Task' }, trust: 'Trusted', readers: readersOf(BEN) };
const ofOwner: Label = { ...ofBen, readers: readersOf('owner') };

class Office {
  readonly world: ToolWorld = toolWorld({
    remembered: () => [
      { kind: 'case', id: 'b', atMs: 0, text: `ben has ${NUMBER}`, label: ofBen },
      { kind: 'case', id: 'o', atMs: 0, text: 'the office opens at nine', label: ofOwner },
    ],
  });
  #calls = 0;

  call(principal: string, tool: string, input: object): Promise<ToolOutcome> {
    this.#calls += 1;
    const own = principal === 'owner' ? {} : { principal };
    const read = { items: [], addresses: [], instructions: [], ...own };
    return this.world.executor.execute(this.world.permit(tool, input, { callId: `c${this.#calls}`, read }), signal);
  }

  /** What ben's work leaves. */
  async left(): Promise<void> {
    await this.call(BEN, 'memory_write', { key: 'ben/number', value: NUMBER });
    await this.call(BEN, 'write_file', { path: 'ben/number.md', content: `number ${NUMBER}\n` });
    await this.call(BEN, 'add_todo', { words: `Give ben the number ${NUMBER}` });
    await this.call('owner', 'write_file', { path: 'notes/number.md', content: 'number 17 is the office\n' });
  }
}

const WAYS: readonly (readonly [tool: string, input: object])[] = [
  ['memory_read', { prefix: 'ben/' }],
  ['memory_recall', { query: 'the number of ben' }],
  ['read_file', { path: 'ben/number.md' }],
  ['search_files', { pattern: 'number' }],
  ['list_schedule', {}],
  ['inspect_job', { id: 'give-ben-the-number-kx7qd92mvbt4w1' }],
];

describe('in a run for a correspondent', () => {
  for (const [tool, input] of WAYS)
    verifies(
      'readers:tools',
      `${tool} shows nothing of another one, to whom it shows it, and the owner sees all`,
      async () => {
        const office = new Office();
        await office.left();
        expect((await office.call(ANN, tool, input)).text).not.toContain(NUMBER);
        expect((await office.call(BEN, tool, input)).text).toContain(NUMBER);
        expect((await office.call('owner', tool, input)).text).toContain(NUMBER);
      },
    );

  verifies('readers:tools', 'what is the owner’s is shown, and labelled as the owner’s', async () => {
    const office = new Office();
    await office.left();
    const found = await office.call(ANN, 'search_files', { pattern: 'number' });
    expect(found).toMatchObject({ text: expect.stringContaining('17 is the office'), label: { readers: ['owner'] } });
    const recalled = await office.call(ANN, 'memory_recall', { query: 'when does the office open' });
    expect(recalled).toMatchObject({ text: expect.stringContaining('at nine'), label: { readers: ['owner'] } });
  });

  verifies('readers:tools', 'a job of another one cannot be changed, and is nobody’s by its name', async () => {
    const office = new Office();
    await office.left();
    const id = 'give-ben-the-number-kx7qd92mvbt4w1';
    const [, job] = [...office.world.parts.known().jobs.byId.values()].entries().next().value ?? [];
    expect(job).toMatchObject({ principal: BEN, job: { name: id }, label: { readers: readersOf(BEN) } });
    expect(await office.call(ANN, 'cancel_item', { id, reason: 'x' })).toMatchObject({
      status: 'Error',
      text: expect.stringContaining('There is no job'),
    });
    expect((await office.call(BEN, 'cancel_item', { id, reason: 'x' })).status).toBe('Ok');
  });

  verifies('readers:tools', 'programs see files that it may read, and of the owner’s what the call names', async () => {
    const office = new Office();
    await office.left();
    await office.call(ANN, 'write_file', { path: 'ann/own.md', content: 'mine\n' });
    const shown = async (principal: string, inputs: readonly string[]) => {
      await office.call(principal, 'bash', { script: 'ls', inputs });
      return office.world.sandboxRequests.at(-1)?.shownPaths ?? [];
    };
    const all = ['notes/number.md', 'ben/number.md'];
    expect(await shown(ANN, [])).toEqual(['ann/own.md']);
    expect(await shown(ANN, all)).toEqual(['ann/own.md', 'notes/number.md']);
    expect(await shown('owner', [])).toEqual(expect.arrayContaining(['ann/own.md', ...all]));
  });

  verifies('readers:tools', 'the agent’s own affairs are not told', async () => {
    const office = new Office();
    for (const [tool, input] of [
      ['list_recent_cycles', {}],
      ['get_endeavour_detail', {}],
      ['reflect', {}],
    ] as const) {
      expect(await office.call(ANN, tool, input), tool).toMatchObject({
        status: 'Error',
        text: expect.stringContaining('this work is for a correspondent'),
      });
      expect((await office.call('owner', tool, input)).text, tool).not.toContain('correspondent');
    }
  });
});
