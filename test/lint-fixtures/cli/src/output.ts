// Clean: the one module that prints, and entrances that are published.
import { openAgent } from '@retainer/agent-pod/open-agent';
import { verifyJournal } from '@retainer/journal/verify';

export const print = (): void => console.log(openAgent, verifyJournal);
