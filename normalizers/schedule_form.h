// The normal form of a whole schedule: every kernel's form and what its buffers hold.
#pragma once

#include <string>
#include <vector>

#include "normalizers/content.h"
#include "normalizers/kernel_form.h"

namespace uopdiff {

struct ScheduleForm {
  Schedule schedule;
  std::vector<KernelForm> kernels;
  ScheduleContent content;
};

ScheduleForm make_schedule_form(Schedule schedule);

std::string print_form(const ScheduleForm& form);  // every kernel's lines

}  // namespace uopdiff
