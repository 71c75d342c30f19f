import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { relative } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFiles, repositoryRoot } from '../../../test/support/repository-files.ts';
import { verifies } from '../../../test/verifies.ts';
import { http } from './node-http.ts';

const SOURCE = /^(?:agent-pod|contract|operator|packages|sandbox-runner)\/.*src\/(?!.*\.test\.ts$).*\.ts$/;
const VALUE_IMPORT = /^import (?!type )[^;]*from 'node:http'/m;

verifies('agent-cluster:lean-imports', 'no program of a pod imports Node’s HTTP by name', () => {
  const sources = repositoryFiles().map((path) => [relative(repositoryRoot, path), path] as const);
  const programs = sources.filter(([name]) => SOURCE.test(name));
  expect(programs.length).toBeGreaterThan(500);
  const importing = programs.filter(([, path]) => VALUE_IMPORT.test(readFileSync(path, 'utf8')));
  // It plays the outside of an agent in the worst case, which runs in no pod.
  expect(importing.map(([name]) => name)).toEqual(['agent-pod/src/attack/outside.ts']);
});

it('is the module that others import', () => {
  expect([http.createServer, http.request]).toEqual([createServer, request]);
});
