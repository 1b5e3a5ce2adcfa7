import { DEFAULT_PORT } from './config/config.ts';
import { runProgram } from './parts/program.ts';

// It answers /healthz, /readyz and /metrics there, and nothing else.
runProgram(['worker'], DEFAULT_PORT + 2);
