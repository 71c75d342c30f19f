/** What the character grants alone needs nobody, and what its allow-list names is asked for whatever asks. */
export const OPEN_MANIFESTS = `
apiVersion: retainer.dev/v1alpha1
kind: CharacterSpec
metadata: {name: trusting}
spec:
  persona: A helpful clerk.
  virtues: [{name: Care, expressions: [Says what happened.]}]
  highestEndeavour:
    - {id: truth, description: Tell the truth., level: EthicalMoral, operator: Required}
  authority:
    alone:
      - {id: any-plan, description: Plans are changed without asking., paths: ["plans/**"]}
  gatePolicies:
    allowLists: {domains: ["*.partner.example"]}
---
apiVersion: retainer.dev/v1alpha1
kind: Agent
metadata: {name: clerk}
spec:
  characterRef: {name: trusting}
  models: {provider: Scripted, script: none.yaml}
  tools:
    fetch: {enabled: true, allowedDomains: ["*.partner.example"]}
---
apiVersion: retainer.dev/v1alpha1
kind: Task
metadata: {name: letters}
spec:
  agentRef: {name: clerk}
  intent: Read the letters in inbox and say what they are about.
`;
