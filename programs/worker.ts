import { DEFAULT_PORT } from './config.ts';
import { runProgram } from './program.ts';

// It answers /healthz, /readyz and /metrics there, and nothing else.
runProgram(['worker'], DEFAULT_PORT + 2);
