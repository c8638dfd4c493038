// Starts an endpoint with one function running, says so, and waits to be killed.
//
// Stands for a demo and its endpoint.
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { startEndpoint } from '../index.ts';
import { clientsOf, makeFunction } from './fixtures.ts';

const endpoint = await startEndpoint();
const root = clientsOf(endpoint);
const { name } = await makeFunction(root, 'return process.pid;');
const answer = await root.lambda.send(new InvokeCommand({ FunctionName: name }));
const functionPid = Number(answer.Payload?.transformToString());
console.log(JSON.stringify({ pid: endpoint.pid, functionPid, url: endpoint.url }));
process.on('SIGINT', async () => {
  await endpoint.stop();
  process.exit(0);
});
setInterval(() => {}, 60_000);
