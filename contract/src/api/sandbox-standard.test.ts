import { expect, it } from 'vitest';
import { ENFORCE_LABEL, looseLabels, type SandboxStandard } from './sandbox-standard.ts';

const VERSION = `${ENFORCE_LABEL}-version`;
const cases: readonly (readonly [string, Readonly<Record<string, string>>, SandboxStandard, readonly string[]])[] = [
  ['the standard itself', { [ENFORCE_LABEL]: 'restricted' }, 'restricted', []],
  ['a stricter one', { [ENFORCE_LABEL]: 'restricted' }, 'baseline', []],
  ['a version of today', { [ENFORCE_LABEL]: 'baseline', [VERSION]: 'v1.34' }, 'baseline', []],
  ['no label', {}, 'restricted', ['enforces nothing, not restricted']],
  ['a looser one', { [ENFORCE_LABEL]: 'baseline' }, 'restricted', ['enforces baseline, not restricted']],
  ['none at all', { [ENFORCE_LABEL]: 'privileged' }, 'baseline', ['enforces privileged, not baseline']],
  ['a level that is none', { [ENFORCE_LABEL]: 'strict' }, 'baseline', ['enforces strict, not baseline']],
  ['an old version', { [ENFORCE_LABEL]: 'restricted', [VERSION]: 'v1.7' }, 'restricted', ['the standard of v1.7']],
  ['no version', { [ENFORCE_LABEL]: 'restricted', [VERSION]: 'newest' }, 'restricted', ['the standard of newest']],
];

it.each(cases)('%s', (_, labels, standard, faults) => {
  const told = looseLabels('code', labels, standard);
  expect(told).toHaveLength(faults.length);
  for (const [index, fault] of faults.entries()) {
    expect(told[index]?.fault).toContain(fault);
    expect(told[index]?.fix).toContain('kubectl label --overwrite namespace code pod-security.kubernetes.io/enforce');
  }
});
