// Runs one program through both backends and the reference and judges it.
#pragma once

#include <memory>
#include <string>

#include "harness/backends/worker.h"
#include "harness/compare/verdict.h"
#include "harness/program/program.h"

namespace uopdiff {

struct Evaluation {
  Program program;
  Side left, right;
  Verdict verdict;
  double seconds = 0;
};

class Evaluator {
 public:
  Evaluator(const BackendSpec& left, const BackendSpec& right, const WorkerLimits& limits);

  // `values`: compile, run and compare outputs; else only the schedules. `source`: ask for the generated
  // code.
  Evaluation evaluate(const Program& program, bool values, bool source = false);

  void start();  // both workers; throws Error(environment)
  WorkerPair& workers() { return workers_; }
  std::string clang();  // version that the left worker sees

 private:
  WorkerPair workers_;
};

}  // namespace uopdiff
