#!/usr/bin/env node
// kubectl runs it as `kubectl retainer`. Its name tells the program that a cluster is meant.
import './retainer.js';
