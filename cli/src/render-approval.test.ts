import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { effectLines } from './render-approval.ts';

verifies('approvals:named-files', 'stand in what the command line shows of a waiting call', () => {
  const call = {
    ...{ requestId: 'r-c1-t1-a', tool: 'bash', input: { script: 'sh tools/deploy.sh' }, calls: 1, effectClass: 1 },
    standing: 'a'.repeat(64),
    named: { shown: [{ path: 'tools/deploy.sh', sha256: 'b'.repeat(64) }] },
  };
  expect(effectLines(call)[0]).toContain(`there now: "tools/deploy.sh" sha256 ${'b'.repeat(16)}`);
});
