/** What the observer of the gates found after a cycle, and what follows for later cycles. */
import { z } from 'zod';
import { detectors, interventions } from '../../gate/meta/observation.ts';
import { definePart, fieldOf, listIn, textIn } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';

/** Outgoing texts wait for a person, or do so no more; the canary probes get no answers, or answers again. */
const GATE_CHANGES = ['OutputsHeld', 'OutputsReleased', 'ProbesDegraded', 'ProbesAnswered'] as const;
export type GateChange = (typeof GATE_CHANGES)[number];

const CHANGES = {
  OutputsHeld: 'outgoing texts wait for a person',
  OutputsReleased: 'outgoing texts pass again',
  ProbesDegraded: 'the canary probes get no answer',
  ProbesAnswered: 'the canary probes get answers again',
} as const satisfies Readonly<Record<GateChange, string>>;

/** Source: springdrift 2. */
export const gateKinds = {
  GatesIntervened: z.object({
    cycleId: z.string(),
    intervention: z.enum(interventions),
    detectors: z.array(z.enum(detectors)),
  }),
  /** What the gates rest on changed for all cycles. */
  GatesChanged: z.object({ change: z.enum(GATE_CHANGES) }),
} as const;

const store = defineStore({
  name: 'agent',
  durability: 'durable',
  kinds: gateKinds,
  writers: { Runtime: ['GatesIntervened', 'GatesChanged'] },
});

export const interventionsPart = definePart({
  name: 'interventions',
  stores: [store],
  events: {
    GatesIntervened: ({ intervention, detectors: found }) =>
      intervention === 'None'
        ? undefined
        : { name: 'gates', title: `${textIn(intervention)}: ${listIn(found).join(', ')}` },
    GatesChanged: ({ change }) => {
      const found = GATE_CHANGES.find((it) => it === change);
      return found === undefined ? undefined : { name: 'gates', title: CHANGES[found] };
    },
  },
  counters: [
    {
      name: 'gate_interventions_total',
      help: 'Interventions of the observer of the gates after a cycle.',
      labelNames: ['intervention'],
      from: interventions.map((intervention) => ({ intervention })),
      count: ({ kind, payload }) =>
        kind === 'GatesIntervened' ? [{ labels: { intervention: textIn(fieldOf(payload, 'intervention')) } }] : [],
    },
  ],
  tell: {
    GatesIntervened: ({ cycleId, intervention, detectors: found }, shortId) => ({
      actor: 'gate',
      tone: 'Warning',
      text: `the observer of the gates, after ${shortId(textIn(cycleId))}: ${textIn(intervention)} (${listIn(found).join(', ')})`,
      live: true,
    }),
  },
});
