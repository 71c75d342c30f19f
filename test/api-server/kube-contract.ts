/**
 * What controllers build on, as cases that every API server has to pass: the real one, and the one of the tests. So a test
 * that passes on the second says something about the first.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { Contract, type ContractCase, type ContractTarget } from './contract-case.ts';
import { applyCases } from './kube-contract-apply.ts';
import {
  createCases,
  deleteCases,
  generationCases,
  mergePatchCases,
  replaceCases,
  validationCases,
} from './kube-contract-objects.ts';
import { listCases, watchCases } from './kube-contract-reads.ts';

const CASES: Readonly<Record<string, readonly ContractCase[]>> = {
  create: createCases,
  validation: validationCases,
  replace: replaceCases,
  'merge patch': mergePatchCases,
  'generation and status': generationCases,
  'server-side apply': applyCases,
  delete: deleteCases,
  list: listCases,
  watch: watchCases,
};

export function kubeContract(start: () => Promise<ContractTarget>): void {
  let target: ContractTarget;
  let count = 0;

  beforeAll(async () => {
    target = await start();
  });
  afterAll(() => target.stop());

  for (const [subject, cases] of Object.entries(CASES))
    describe(subject, () => {
      for (const { name, run } of cases)
        it(name, async ({ skip }) => {
          count += 1;
          await run(new Contract(target, `contract-${count}`), (reason) => skip(reason));
        });
    });
}
