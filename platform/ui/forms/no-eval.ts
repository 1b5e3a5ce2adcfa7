import { config } from 'zod';

// The content policy forbids generated code. Shapes read this when they are made, so this file loads first.
config({ jitless: true });
