/** The control tool by which who works asks a person. The cycle answers it; nothing executes it. */
import { invariant } from '@retainer/contract/std/invariant';
import { ASK_PERSON, PersonQuestion } from '@retainer/mind/gate/person-question';
import type { z } from 'zod';
import type { ToolDescriptor } from '../../tools/tool.ts';

export const askPerson: ToolDescriptor<z.infer<typeof PersonQuestion>> = {
  facts: {
    name: ASK_PERSON,
    effectClass: 0,
    reachesOutside: false,
    runsCode: false,
    showsPeople: true,
    writes: 'Nothing',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
    target: { kind: 'Place', parts: [] },
  },
  offer: () => ({
    description:
      'Asks the person whose task this is, and waits for the answer. Use it only where every guess would be useless and no ' +
      'tool can find it out; a person may take hours, or not answer at all.',
    input: PersonQuestion,
    timeoutMs: 0,
    touches: () => ({ readPaths: [], writePaths: [], domains: [] }),
    run: () => {
      invariant(false, 'ask_person is answered by the cycle and never executed');
      return Promise.reject(new Error('never executed'));
    },
  }),
};
