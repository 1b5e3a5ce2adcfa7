import { ROLES } from '../product/assembly.ts';
import { DEFAULT_PORT } from './config/config.ts';
import { runProgram } from './parts/program.ts';

runProgram(ROLES, DEFAULT_PORT);
