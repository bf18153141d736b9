// An ordinary client of the daemon: @grpc/grpc-js with the .proto file, and again with what reflection gave.
// usage: grpc_client.mjs ADDRESS PROTO_DIR C1 OUT
import fs from 'node:fs';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const [address, protoDir, c1, out] = process.argv.slice(2);
const options = {keepCase: true, longs: String, enums: String, defaults: true};
const limits = {'grpc.max_receive_message_length': 256 << 20, 'grpc.max_send_message_length': 256 << 20};
const credentials = grpc.credentials.createInsecure();

const call = (client, method, request) => new Promise((resolve, reject) =>
  client[method](request, (error, answer) => error ? reject(error) : resolve(answer)));

async function drive(service, requestId) {
  const client = new service(address, credentials, limits);
  const request = {request_id: requestId, proof_kind: 'POREP_SEAL_COMMIT', sector_size: 2048, registered_proof: 5,
    vanilla_proof: fs.readFileSync(c1), sector_number: 1, miner_id: 1000};
  const submitted = await call(client, 'SubmitProof', request);
  const result = await call(client, 'AwaitProof', {job_id: submitted.job_id});
  if (result.status !== 'COMPLETED') throw new Error(JSON.stringify(result));
  const status = await call(client, 'GetStatus', {});
  const metrics = await call(client, 'GetMetrics', {});
  if (status.queues.length !== 4 || !metrics.prometheus_text.includes('cuzk_')) throw new Error('status or metrics');
  const refused = await call(client, 'SubmitProof', {...request, sector_size: 4096}).catch((error) => error);
  if (refused.code !== grpc.status.INVALID_ARGUMENT || !refused.details.includes('registered_proof'))
    throw new Error('not refused: ' + refused);
  client.close();
  return result.proof;
}

// Reflection: the file that has the service, as a descriptor, with no .proto at hand.
async function reflected(version) {
  const definition = loader.loadSync(`grpc/reflection/${version}/reflection.proto`, {...options, includeDirs: [protoDir]});
  const path = version.split('/');
  const reflection = path.reduce((at, name) => at[name], grpc.loadPackageDefinition(definition).grpc.reflection);
  const stream = new reflection.ServerReflection(address, credentials).ServerReflectionInfo();
  const answers = [];
  const done = new Promise((resolve, reject) => stream.on('data', (a) => answers.push(a)).on('end', resolve).on('error', reject));
  stream.write({list_services: '*'});
  stream.write({file_containing_symbol: 'cuzk.v1.ProvingEngine'});
  stream.end();
  await done;
  const names = answers[0].list_services_response.service.map((s) => s.name);
  if (!names.includes('cuzk.v1.ProvingEngine')) throw new Error('not listed: ' + names);
  const file = answers[1].file_descriptor_response.file_descriptor_proto[0];
  const set = Buffer.concat([Buffer.from([0x0a]), varint(file.length), file]);
  return grpc.loadPackageDefinition(loader.loadFileDescriptorSetFromBuffer(set, options)).cuzk.v1.ProvingEngine;
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 + 128);
  return Buffer.from([...bytes, value]);
}

const file = loader.loadSync('cuzk/v1/proving.proto', {...options, includeDirs: [protoDir]});
const proof = await drive(grpc.loadPackageDefinition(file).cuzk.v1.ProvingEngine, 'node');
fs.writeFileSync(out, proof);
for (const version of ['v1', 'v1alpha']) await drive(await reflected(version), 'reflected ' + version);
console.log('proved with the proto and with reflection v1 and v1alpha');
