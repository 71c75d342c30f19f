import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { invariant } from '@retainer/contract/std/invariant';
import { argumentsDigest } from '@retainer/mind/gate/arguments-digest';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import { createRegistry } from '../parts/catalog.ts';

const registry = createRegistry({
  sandboxLanguages: ['bash', 'javascript', 'python'],
  fetch: { allowedDomains: ['*'] },
});

function errorOf(tool: string, input: unknown): string {
  const parsed = registry.parse(tool, input);
  invariant(!parsed.ok, `${tool} refuses ${JSON.stringify(input)}`);
  return parsed.error;
}

describe('the catalog', () => {
  it('keeps the order that is asked for and leaves out what is unknown', () => {
    expect(registry.specs(['write_file', 'nothing', 'bash']).map(({ name }) => name)).toEqual(['write_file', 'bash']);
  });

  it('describes every argument to the model', () => {
    for (const spec of registry.specs(registry.names)) {
      const schema = spec.inputSchema as { type: string; properties: Record<string, { description?: string }> };
      expect(schema.type).toBe('object');
      for (const [name, property] of Object.entries(schema.properties)) {
        expect(property.description, `${spec.name}.${name}`).toBeTruthy();
      }
    }
  });

  verifies('tools:fetch-off-by-default', 'has no fetch_url unless it is enabled', () => {
    const plain = createRegistry({ sandboxLanguages: [] });
    expect(plain.has('fetch_url')).toBe(false);
    expect(plain.parse('fetch_url', { url: 'https://example.org/' })).toMatchObject({ ok: false });
    expect(registry.has('fetch_url')).toBe(true);
  });

  it('fetches within the ports and the time of the Agent', () => {
    const fetch = { allowedDomains: ['*'], ports: [8443], timeoutMs: 7000 };
    const own = createRegistry({ sandboxLanguages: [], fetch });
    expect(own.tool('fetch_url')?.timeoutMs).toBe(7000);
    expect(own.parse('fetch_url', { url: 'https://example.org:8443/' })).toMatchObject({ ok: true });
    expect(own.parse('fetch_url', { url: 'https://example.org/' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('leads to port 443; allowed: 8443'),
    });
    const endless = createRegistry({ sandboxLanguages: [], fetch: { ...fetch, timeoutMs: 1e9 } });
    expect(endless.tool('fetch_url')?.timeoutMs).toBe(300_000);
  });
});

describe('arguments', () => {
  verifies('tools:arguments-validated', 'that are wrong are answered with field, finding and what is allowed', () => {
    expect(errorOf('read_file', {})).toBe(
      'read_file was not run. The argument "path" is missing. It takes: path, page (optional), pageBytes (optional).',
    );
    expect(errorOf('read_file', { path: 'a', page: 'two' })).toContain('The argument "page" is "two": expected number');
    expect(errorOf('read_file', { path: 'a', pages: 1 })).toContain('There is no argument "pages".');
    expect(errorOf('read_file', { path: '../x' })).toContain(
      'The argument "path" ("../x") leaves the workspace through ..',
    );
    expect(errorOf('read_file', 'x')).toContain('The arguments are "x": expected object');
    expect(errorOf('read_file', null)).toContain('The arguments are null');
    expect(errorOf('run_code', { language: 'cobol', script: 'x' })).toContain('"javascript"|"python"|"bash"');
    expect(errorOf('memory_write', { key: 'A b', value: 'x' })).toContain('lower-case');
    expect(errorOf('rm', {})).toContain('There is no tool "rm". Tools: list_files, read_file');
  });

  it('of megabytes are answered shortly', () => {
    expect(errorOf('bash', { script: 'x'.repeat(5_000_000) }).length).toBeLessThan(500);
    // The names of all tools, and little else.
    expect(errorOf('x'.repeat(1_000_000), {}).length).toBeLessThan(registry.names.join(', ').length + 200);
    expect(
      errorOf('bash', Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key${n}`, n]))).length,
    ).toBeLessThan(20_000);
  });

  it('are normalised before they are judged, so that two spellings are one call', () => {
    const digest = (path: string): unknown => {
      const parsed = registry.parse('write_file', { content: 'x', path });
      return parsed.ok && parsed.value;
    };
    expect(digest('./a//b')).toEqual(digest('/workspace/a/b'));
    expect(digest('a/b')).toMatchObject({
      writePaths: ['a/b'],
      argumentsDigest: argumentsDigest('write_file', '{"content":"x","path":"a/b"}'),
    });
  });

  it('parse to the same call when what was parsed is parsed again', () => {
    const paths = fc
      .array(fc.constantFrom('a', '.', '..', '', 'artifact:x', 'ü'), { maxLength: 5 })
      .map((it) => it.join('/'));
    fc.assert(
      fc.property(fc.constantFrom('read_file', 'list_files'), paths, (tool, path) => {
        const once = registry.parse(tool, { path });
        if (!once.ok) return;
        expect(registry.parse(tool, JSON.parse(once.value.argumentsText))).toEqual(once);
      }),
    );
  });

  it('name what is read, written and reached', () => {
    expect(registry.parse('search_files', { pattern: 'x' })).toMatchObject({
      value: { readPaths: ['.'], writePaths: [] },
    });
    expect(registry.parse('read_file', { path: 'artifact:abc' })).toMatchObject({ value: { readPaths: [] } });
    expect(registry.parse('read_file', { path: './artifact:abc' })).toMatchObject({
      value: { readPaths: ['artifact:abc'] },
    });
    expect(registry.parse('fetch_url', { url: 'HTTPS://Example.ORG/a#b' })).toMatchObject({
      value: { domains: ['example.org'], effectClass: 2 },
    });
  });
});

describe('request_approval', () => {
  it('parses to the call that is to be approved', () => {
    const request = { tool: 'write_file', input: { path: 'a', content: 'b' }, reason: 'because' };
    expect(registry.parse('request_approval', request)).toMatchObject({
      value: { argumentsText: canonicalJson(request) },
    });
    expect(errorOf('request_approval', { tool: 'write_file', reason: 'x' })).toContain('"input" is missing');
  });

  it('is never executed', async () => {
    const world = toolWorld();
    const outcome = await world.call('request_approval', { tool: 'bash', input: {}, reason: 'x' });
    expect(outcome.status).toBe('Error');
  });
});
