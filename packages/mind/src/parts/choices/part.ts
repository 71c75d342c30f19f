/** What the agent told each site by the choice of addresses. */
import { definePart } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { choiceKinds } from './choice-ledger.ts';

/** A call told its server something by the choice of its address; in the record before the call runs. */
const store = defineStore({
  name: 'agent',
  durability: 'durable',
  kinds: choiceKinds,
  writers: { Runtime: ['ChoiceSpent'] },
});

export const choicesPart = definePart({ name: 'choices', stores: [store] });
