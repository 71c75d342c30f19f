/** What simple policies come to on the same pairs. Each looks at one call, with what it knows beforehand. */
import { leavesOf } from '@retainer/mind/gate/provenance/records';
import type { Suite, UserTask } from './data.ts';
import { isEffect } from './tool-table.ts';

export interface PlainCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface SimplePolicy {
  readonly name: string;
  lets(call: PlainCall, task: UserTask, suite: Suite): boolean;
}

const usesTool = ({ calls }: UserTask, tool: string): boolean => calls.some((it) => it.tool === tool);

export const simplePolicies: readonly SimplePolicy[] = [
  {
    name: 'allow-list of the suite',
    lets: ({ tool }, _task, { user }) => Object.values(user).some((task) => usesTool(task, tool)),
  },
  { name: 'allow-list per task', lets: ({ tool }, task) => usesTool(task, tool) },
  {
    name: 'only words of the request',
    lets: ({ tool, args }, { prompt }) =>
      !isEffect(tool, Object.keys(args)) ||
      leavesOf(args).every((it) => prompt.toLowerCase().includes(it.toLowerCase())),
  },
];
