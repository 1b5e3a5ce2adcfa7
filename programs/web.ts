import { DEFAULT_PORT } from './config/config.ts';
import { runProgram } from './parts/program.ts';

runProgram(['web'], DEFAULT_PORT);
