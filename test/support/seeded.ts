export * from '@retainer/agent-pod/attack/seeded';
