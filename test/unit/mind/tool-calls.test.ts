import type { Json } from '@retainer/contract/std/canonical-json';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { CallRecord } from '@retainer/mind/cycle/state';
import { knownTools } from '@retainer/agent-pod/parts/catalog';
import { toolCallRecords } from '@retainer/mind/run/verdict/tool-calls';
import { TARGET_CHARACTERS_MAX, targetOf as targetOfFacts } from '@retainer/mind/gate/tool-target';
import { testTools } from '../../support/known-tools.ts';

const outcome = { status: 'Ok' as const, text: 'out', outputBytes: 3, outputSha256: 'abc', files: [], durationMs: 7 };

function call(tool: string, input: Json, end: CallRecord['end'] = { kind: 'Ran', outcome }): CallRecord {
  return { callId: 'c1-t1', tool, input, argumentsDigest: '', end };
}

const targetOf = (tool: string, input: Json) => targetOfFacts(testTools.factsOf(tool), input);

const record = (made: CallRecord) => toolCallRecords([made], testTools)[0];

describe('targetOf', () => {
  it.each<readonly [string, Json, string | undefined]>([
    ['read_file', { path: '/workspace//data/./a.csv' }, 'data/a.csv'],
    ['read_file', { path: 'cafe\u0301' }, 'caf\u00e9'],
    ['read_file', { path: 'artifact:a1' }, 'artifact:a1'],
    ['read_file', { path: '/etc/passwd' }, '/etc/passwd'],
    ['write_file', { content: 'x'.repeat(100_000), path: './out.txt' }, 'out.txt'],
    ['edit_file', { edits: [{ old: 'a', new: 'x'.repeat(100_000) }], path: './out.txt' }, 'out.txt'],
    ['find_files', { glob: '*.md' }, '*.md in .'],
    ['find_files', { glob: '*.md', path: './x/' }, '*.md in x'],
    ['list_files', {}, '.'],
    ['search_files', { pattern: 'a  b' }, 'a b in .'],
    ['search_files', { pattern: 'a', path: './x/' }, 'a in x'],
    ['bash', { script: '  ls\n\t-l ' }, 'ls -l'],
    ['run_code', { language: 'python', script: 'print(1)' }, 'print(1)'],
    ['serve_code', { script: 'listen' }, 'listen'],
    ['stop_serving', { id: 's1' }, 's1'],
    ['memory_read', {}, undefined],
    ['memory_read', { prefix: 'acme' }, 'acme'],
    ['memory_write', { key: 'acme.currency', value: 'EUR' }, 'acme.currency'],
    ['fetch_url', { url: 'HTTPS://Example.org:443/a/../b#part' }, 'https://example.org/b'],
    ['fetch_url', { url: 'no address' }, 'no address'],
    ['request_approval', { tool: 'bash', input: { script: 'ls' }, reason: 'r' }, undefined],
    ['of_another_maker', { query: 'rain in Rome', limit: 3 }, 'rain in Rome'],
    ['of_another_maker', { limit: 3 }, undefined],
    ['of_another_maker', null, undefined],
    ['toString', { path: 'a' }, 'a'],
    ['__proto__', { path: 'a' }, 'a'],
    ['read_file', { path: 7 }, undefined],
    ['read_file', ['path'], undefined],
  ])('%s %j is directed at %j', (tool, input, target) => {
    expect(targetOf(tool, input)).toBe(target);
  });

  it('tells long scripts apart that differ in the middle only, and not by their white space', () => {
    const script = (middle: string): string => `${'a '.repeat(5000)}${middle}${' b'.repeat(5000)}`;
    const [one, other, spaced] = [script('x'), script('y'), script('  x\n')].map((text) =>
      targetOf('bash', { script: text }),
    );
    expect(one).not.toBe(other);
    expect(script('  x\n')).not.toBe(script('x'));
    expect(targetOf('bash', { script: script('x').replaceAll(' ', '\n') })).toBe(one);
    expect(spaced?.length).toBeLessThanOrEqual(TARGET_CHARACTERS_MAX);
  });
});

describe('toolCallRecords', () => {
  verifies('provenance:files-labelled', 'tell which parts of an output others wrote', () => {
    const reached = call('bash', { script: 'curl' }, { kind: 'Ran', outcome: { ...outcome, othersAt: [''] } });
    expect(record(reached)?.othersAt).toEqual(['']);
    expect(record(call('bash', { script: 'ls' }))).not.toHaveProperty('othersAt');
  });

  it('tell what a program removed, at most a hundred, and nothing where nobody looked', () => {
    const removed = (gone?: readonly string[]) =>
      record(call('bash', { script: 'rm *' }, { kind: 'Ran', outcome: { ...outcome, ...(gone && { gone }) } }))?.gone;
    expect(removed(['a.txt'])).toEqual(['a.txt']);
    expect(removed([])).toEqual([]);
    expect(removed(Array.from({ length: 200 }, (_, at) => `${at}`))).toHaveLength(100);
    expect(removed()).toBeUndefined();
  });

  const longText = fc
    .tuple(fc.string({ minLength: 1 }), fc.nat(2000))
    .map(([text, times]) => text.repeat(times).slice(0, 5000));
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), longText);
  const members = ['path', 'script', 'pattern', 'query', 'command', 'url', 'host', 'id', 'key', 'content'];
  const anyInput = fc.dictionary(fc.constantFrom(...members), fc.oneof(anyText, fc.integer(), fc.constant(null)));

  verifies('verdict:targets-survive-the-record', 'the target of the recorded arguments is the recorded target', () => {
    fc.assert(
      fc.property(fc.constantFrom(...knownTools.all.map(({ name }) => name), 'other'), anyInput, (tool, input) => {
        const made = record(call(tool, input));
        expect(targetOf(tool, JSON.parse(made?.input ?? ''))).toBe(made?.target);
        expect(made?.target).toBe(targetOf(tool, input));
        expect(made?.input.length).toBeLessThanOrEqual(16_000);
      }),
    );
  });

  it('finds the target behind arguments of megabytes', () => {
    const made = record(call('write_file', { content: 'x'.repeat(3_000_000), path: 'a/b' }));
    expect(made).toMatchObject({ target: 'a/b' });
    expect(made?.input.length).toBeLessThan(5000);
    expect(targetOf('write_file', JSON.parse(made?.input ?? ''))).toBe('a/b');
  });

  it('keeps what has too many members as one text', () => {
    const made = record(
      call(
        'nonsense',
        Array.from({ length: 100_000 }, (_, index) => index),
      ),
    );
    expect(typeof JSON.parse(made?.input ?? '')).toBe('string');
  });

  it.each<readonly [string, CallRecord['end'], object]>([
    ['ran', { kind: 'Ran', outcome }, { status: 'Ok', output: 'out', sha256: 'abc', durationMs: 7 }],
    [
      'failed with an exit code',
      { kind: 'Ran', outcome: { ...outcome, status: 'Error', exitCode: 2, artifactId: 'a1' } },
      { status: 'Error', exitCode: 2, artifactId: 'a1' },
    ],
    ['is still running', { kind: 'Running' }, { status: 'Unknown', files: [] }],
    [
      'was refused',
      { kind: 'Unrun', why: 'Refused', text: '[refused] no (rule x) for you (rule never/x)' },
      { status: 'Unrun', refusal: { rule: 'never/x', reason: 'no (rule x) for you' } },
    ],
    [
      'was denied',
      { kind: 'Unrun', why: 'Denied', text: '[refused] ann denied it: later\nmaybe (rule approval/denied)' },
      { refusal: { rule: 'approval/denied', reason: 'ann denied it: later\nmaybe' } },
    ],
  ])('says how a call ended that %s', (_, end, expected) => {
    expect(record(call('look', {}, end))).toMatchObject(expected);
  });

  it('sees no refusal where a model’s call could not be read', () => {
    const made = record(call('look', {}, { kind: 'Unrun', why: 'UnknownTool', text: '[refused] x (rule y)' }));
    expect(made).not.toHaveProperty('refusal');
  });

  it('shows both ends of a long output', () => {
    const made = record(call('look', {}, { kind: 'Ran', outcome: { ...outcome, text: `A${'x'.repeat(2_000_000)}Z` } }));
    expect(made?.output).toMatch(/^A.*characters left out.*Z$/s);
    expect(made?.output.length).toBeLessThan(3200);
  });
});
