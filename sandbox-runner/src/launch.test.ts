import { expect } from 'vitest';
import { RunRequest } from '@retainer/contract/wire/runner';
import { verifies } from '../../test/verifies.ts';
import { launchOf } from './launch.ts';

const request = RunRequest.parse({
  command: ['true'],
  stdin: '',
  timeoutMs: 1000,
  limits: { processes: 1, outputBytes: 1024 },
});

verifies('sandbox-runner:contains-abuse', 'lets one file take all that is there for files, and no more', () => {
  const place = { workDirectory: '/w', tmpDirectory: '/t', scriptDirectory: '/t/s', userThreadsMax: 9 };
  const { args } = launchOf(request, { ...place, scratchBytes: 2 ** 40 });
  expect(args).toContain(`--fsize=${2 ** 40}`);
});
