# What the libraries are built from. Each folder's CMakeLists.txt finds what only it needs.
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)

# yaml-cpp 0.8 renamed its target.
set(ROOFCAST_YAML_CPP yaml-cpp)
if(TARGET yaml-cpp::yaml-cpp)
  set(ROOFCAST_YAML_CPP yaml-cpp::yaml-cpp)
endif()

# Headers of ceres/jet.h. They stand alone with Eigen: nothing of Ceres is linked here.
find_path(CERES_INCLUDE_DIR ceres/jet.h REQUIRED)
add_library(roofcast_jet INTERFACE)
target_include_directories(roofcast_jet SYSTEM INTERFACE ${CERES_INCLUDE_DIR})
target_link_libraries(roofcast_jet INTERFACE Eigen3::Eigen)
