import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { gateRulesFingerprint } from '../../../../test/support/gate-rules-fingerprint.ts';
import { repositoryRoot } from '../../../../test/support/repository-files.ts';
import { verifies } from '../../../../test/verifies.ts';
import { GATE_RULES_VERSION } from './rules-version.ts';

const lines = readFileSync(join(repositoryRoot, 'test/golden/gate/rules-versions.txt'), 'utf8').trim().split('\n');

describe('the version of the gates’ rules', () => {
  verifies(
    'audit:rules-version',
    'is raised with what they decide: a line for each version, and none is changed',
    () => {
      const newest = lines.at(-1);
      const now = `${GATE_RULES_VERSION} ${gateRulesFingerprint()}`;
      expect(newest, `rules changed: raise GATE_RULES_VERSION, and add its line "VERSION ${now.split(' ')[1]}"`).toBe(
        now,
      );
      expect(lines.map((line) => Number(line.split(' ')[0]))).toEqual(lines.map((_line, index) => index + 1));
      expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(lines.length);
    },
  );
});
