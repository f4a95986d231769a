// Runs dynalite in memory on a free loopback port, prints the port, and ends with its standard input.
'use strict'

const server = require('dynalite')({ createTableMs: 0 })

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
