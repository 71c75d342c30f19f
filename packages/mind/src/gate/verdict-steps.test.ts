import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalOf, callOf, gateOf, inquiryOf } from '../../../../test/support/gate-inquiries.ts';
import { repositoryRoot } from '../../../../test/support/repository-files.ts';
import { verdictSteps } from './verdict-steps.ts';

const steps = [...verdictSteps.ruled, verdictSteps.scored, ...verdictSteps.settled];

describe('the steps of a verdict', () => {
  it('stand in the reference, in their order, and by name in docs/gates.md', () => {
    const page = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
    const rows = steps.map(({ name, why }, at) => `| ${at + 1} | ${name} | ${why} |`);
    expect(page('docs/gates-reference.md')).toContain(rows.join('\n'));
    const named = page('docs/gates.md').match(/The steps are (.*?)\n/)?.[1] ?? '';
    expect(
      [...named.matchAll(/([a-z ]+?) \((\d)\)/g)].map(([, name = '', at]) => [name.replace(/^(?: and)? /, ''), at]),
    ).toEqual(steps.map(({ name }, at) => [name, String(at + 1)]));
  });

  it('stand in the picture, in their order', () => {
    const picture = readFileSync(join(repositoryRoot, 'docs/verdict.svg'), 'utf8');
    const drawn = [...picture.matchAll(/<text class="name[^>]*>(\d .*?)<\/text>/g)].map(([, text]) => text);
    expect(drawn).toEqual(steps.map(({ name }, at) => `${at + 1} ${name}`));
  });

  const send = callOf({ to: 'ada' }, 3, 'send');
  const read = callOf({ path: 'a.txt' }, 0, 'read_file');
  const look = { subject: { gate: 'Tool', call: read }, approvalMode: 'BeforeStart' } as const;

  it.each([
    ['nothing is against it', {}, 'Accept effect-class/0', 'Proceed'],
    ['the Task wants to see the first call', look, 'Escalate approval-mode/before-start', 'AskApproval'],
    ['a call has run', { ...look, hasRunCalls: true }, 'Accept effect-class/0', 'Proceed'],
    [
      'a person approved it',
      { ...look, context: inquiryOf(look.subject, { approvals: [approvalOf(read)] }).context },
      'Accept effect-class/0',
      'Proceed',
    ],
    [
      'the policy asks already',
      { ...look, subject: { gate: 'Tool', call: send } as const },
      'Escalate effect-class/3',
      'AskApproval',
    ],
  ])('end in one verdict, with what is done about it: %s', (_name, more, verdict, action) => {
    const step = gateOf({}).next({ ...inquiryOf({ gate: 'Tool', call: read }), ...more });
    if (step.kind !== 'Decided') throw new Error(step.kind);
    expect(`${step.verdict.kind} ${step.verdict.rule}`).toBe(verdict);
    expect(step.action.kind).toBe(action);
  });
});
