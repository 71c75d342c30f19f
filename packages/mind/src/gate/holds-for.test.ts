import { expect, it } from 'vitest';
import { holdsFor } from './holds-for.ts';

it.each([
  ['Coder', 'coder', true],
  ['Coder', 'researcher', false],
  ['Coder', 'executor', false],
  ['DataAnalyst', 'data-analyst', true],
  ['Executor', 'executor', true],
  ['Executor', 'coder', true],
  ['Executor', 'data-analyst', true],
  ['Executor', 'planner', false],
  ['AgentValidator', 'agent-validator', true],
])('what a character says of %s holds for %s: %s', (agent, role, expected) => {
  expect(holdsFor(agent, role)).toBe(expected);
});
