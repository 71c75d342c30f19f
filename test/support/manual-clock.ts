export * from '@retainer/agent-pod/attack/manual-clock';
