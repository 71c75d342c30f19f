/** Runs that the program cannot go on with, and leaves to a person or a new version. */
import { z } from 'zod';
import { defineCommand, definePart, fieldOf, listIn, textIn } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { Held, heldBecause, setAsideKinds } from './set-aside.ts';

const store = defineStore({
  name: 'agent',
  durability: 'durable',
  kinds: setAsideKinds,
  writers: { Runtime: ['RunSetAside', 'RunTriedAgain', 'RunAskedAnew', 'RunGivenUp', 'GivenUpDelivered'] },
});

export const asidePart = definePart({
  name: 'aside',
  stores: [store],
  commands: {
    RetryRun: defineCommand({ schema: z.object({ runId: z.string(), reason: z.string() }), isOverPodsExec: false }),
  },
  events: {
    RunSetAside: ({ task }) => ({ name: 'run-set-aside', title: textIn(fieldOf(task, 'name')) }),
    RunGivenUp: ({ runId }) => ({ name: 'run-given-up', title: textIn(runId) }),
  },
  tell: {
    RunSetAside: ({ where, version, held }) => {
      const hold = Held.safeParse(held).data;
      const [error = 'an error', ...details] = listIn(where);
      return hold === undefined
        ? {
            ...{ actor: 'agent', tone: 'Bad', details, live: true },
            text: `set aside: version ${textIn(version)} of the program failed here with ${error}`,
          }
        : { actor: 'agent', tone: 'Warning', text: `waits for a person: ${heldBecause(hold)}`, live: true };
    },
    RunTriedAgain: ({ version, by }) => ({
      actor: 'agent',
      tone: 'Warning',
      text: by === undefined ? `tried again by version ${textIn(version)}` : `tried again, as ${textIn(by)} asked`,
      live: true,
    }),
    RunAskedAnew: ({ by }) => ({
      actor: 'person',
      tone: 'Plain',
      text: `${textIn(by)} wants this work once more: it begins as a run of its own`,
      live: true,
    }),
    RunGivenUp: ({ by, reason }) => ({
      actor: 'agent',
      tone: 'Bad',
      text: `${textIn(by)} gave the run up: ${textIn(reason)}`,
      live: true,
    }),
  },
});
