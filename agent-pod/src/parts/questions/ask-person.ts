import { ASK_PERSON, PersonQuestion } from '@retainer/mind/gate/person-question';
import type { z } from 'zod';
import { controlTool } from '../../tools/control-tool.ts';
import type { ToolDescriptor } from '../../tools/tool.ts';

export const askPerson: ToolDescriptor<z.infer<typeof PersonQuestion>> = controlTool(ASK_PERSON, true, {
  description:
    'Asks the person whose task this is, and waits for the answer. Use it only where every guess would be useless and no ' +
    'tool can find it out; a person may take hours, or not answer at all.',
  input: PersonQuestion,
});
