/** Of the list of rules: the label of symbolic links. See `rules.ts`. */
import type { Rule } from './rule.ts';

export const LINK_LABEL: Rule = {
  name: 'labels: a link is as its record says',
  change: {
    file: 'agent-pod/src/tools/workspace-labels.ts',
    text: "if (kind === 'Link') return this.#ofLinkAt(entry);",
    becomes: "if (kind === 'Link') return ownWords;",
  },
  attacks: ['link-words/of-a-stranger by Web', 'link-words/of-a-stranger by File'],
};
